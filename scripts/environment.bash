# Sourced by the scripts of this folder: goes to the repository's root and puts the tools of `scripts/setup` first in PATH.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD
export HEDDLE_TOOLS=${HEDDLE_TOOLS:-$HOME/.cache/heddle/tools}
case $HEDDLE_TOOLS in
/*) ;;
*) HEDDLE_TOOLS=$repository/$HEDDLE_TOOLS ;;
esac
export PATH=$HEDDLE_TOOLS/venv/bin:$PATH
