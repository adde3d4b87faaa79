#!/bin/bash
# Sells things.

set -euo pipefail

LIMIT=3 # how many at once
readonly NAME="corner"
export PATH="$PATH:/opt"

if [ -n "$1" ]; then
  CHOSEN=1
fi

# Look for something.
find_it() {
  local key=$1
  inner() {
    echo "$key"
  }
  echo "$LIMIT"
}

function other_one {
  echo 2
}

find_it "$@"
