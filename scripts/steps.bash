# Sourced by scripts that are a list of steps: `step NAME COMMAND...` prints what it runs and how long it took, and
# goes on after a failure; `finish` prints the failed ones and the closing line, and exits with 1 if there are any.

passed=0
failed=()

# Runs a command; its output goes through, its input is empty.
step() {
    local name=$1 started=$EPOCHREALTIME code=0 seconds
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" </dev/null || code=$?
    seconds=$(((${EPOCHREALTIME/[.,]/} - ${started/[.,]/}) / 100000))
    seconds=$((seconds / 10)).$((seconds % 10))
    # Ctrl-C ends the list, not just the step.
    [ "$code" != 130 ] || exit 130
    if [ "$code" = 0 ]; then
        passed=$((passed + 1))
        echo "-- $name passed in $seconds s"
    else
        failed+=("$name")
        echo "-- $name FAILED in $seconds s, exit code $code"
    fi
}

finish() {
    echo
    [ ${#failed[@]} = 0 ] || printf 'failed: %s\n' "${failed[@]}"
    echo "$passed passed, ${#failed[@]} failed"
    [ ${#failed[@]} = 0 ] || exit 1
    exit 0
}
