#!/bin/sh
# Answers a question of halmos, the SMT file $1. Yices answers most questions sooner; Bitwuzla answers in a second some that Yices
# does not answer in ten minutes.
answer=$(yices-smt2 --smt2-model-format --timeout=2 "$1" 2>/dev/null)
case "$answer" in
  sat* | unsat*) printf '%s\n' "$answer" ;;
  *) exec python "$(dirname "$0")/solve_by_bitwuzla.py" "$1" ;;
esac
