# Sourced by scripts that are a list of steps: `step NAME COMMAND...` prints what it runs and how long it took, and
# what of it processors spent, and goes on after a failure; `finish` prints the failed ones and the closing line, and exits with 1 if there are any.
#
# `step_passed NAME SECONDS` is called for each that passed, if the script has such a function.
#
# Steps that do not need each other and use one processor each can run side by side: `beside NAME COMMAND...` starts one, as soon as fewer
# run than there are processors, and shows what it printed once it has ended; `all_ended` waits for them.

passed=0
failed=()

# Sets `processor` to the seconds of processor time of all that this shell has waited for, in hundredths.
processor_time() {
    local fields
    read -ra fields <"/proc/$BASHPID/stat"
    processor=$(((fields[15] + fields[16]) * 100 / $(getconf CLK_TCK)))
}

# Runs a command; its output goes through, its input is empty.
step() {
    local name=$1 started=$EPOCHREALTIME code=0 seconds processor before
    shift
    processor_time
    before=$processor
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" </dev/null || code=$?
    seconds=$(((${EPOCHREALTIME/[.,]/} - ${started/[.,]/}) / 100000))
    seconds=$((seconds / 10)).$((seconds % 10))
    processor_time
    processor=$(((processor - before) / 100))
    # Ctrl-C ends the list, not just the step.
    [ "$code" != 130 ] || exit 130
    if [ "$code" = 0 ]; then
        passed=$((passed + 1))
        echo "-- $name passed in $seconds s, $processor s of processor time"
        if declare -F step_passed >/dev/null; then step_passed "$name" "$seconds"; fi
    else
        failed+=("$name")
        echo "-- $name FAILED in $seconds s, exit code $code"
    fi
}

# Processes of steps that run beside, and where their output goes.
declare -A outputs=() names=()

beside() {
    trap stop_all INT
    while [ ${#outputs[@]} -ge "$(nproc)" ]; do one_ended; done
    local output
    output=$(mktemp)
    # In a process group of its own, which Ctrl-C can end as a whole, and nothing else with it.
    set -m
    (
        failed=()
        step "$@"
        [ ${#failed[@]} = 0 ]
    ) >"$output" 2>&1 &
    set +m
    outputs[$!]=$output
    names[$!]=$1
}

stop_all() {
    local process
    for process in "${!outputs[@]}"; do kill -TERM -- "-$process" 2>/dev/null || true; done
    rm -f "${outputs[@]}"
    exit 130
}

one_ended() {
    local process code=0
    wait -n -p process "${!outputs[@]}" || code=$?
    cat "${outputs[$process]}"
    rm -f "${outputs[$process]}"
    if [ "$code" = 0 ]; then passed=$((passed + 1)); else failed+=("${names[$process]}"); fi
    unset "outputs[$process]"
}

all_ended() { while [ ${#outputs[@]} -gt 0 ]; do one_ended; done; }

finish() {
    all_ended
    echo
    [ ${#failed[@]} = 0 ] || printf 'failed: %s\n' "${failed[@]}"
    echo "$passed passed, ${#failed[@]} failed"
    [ ${#failed[@]} = 0 ] || exit 1
    exit 0
}
