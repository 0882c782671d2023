"""Answers an SMT file by Bitwuzla, whose package has no program: python solve_by_bitwuzla.py FILE."""

import sys

from bitwuzla import BitwuzlaException, Option, Options, Parser, TermManager

options = Options()
options.set(Option.PRODUCE_MODELS, True)
try:
    Parser(TermManager(), options).parse(sys.argv[1], False)
except BitwuzlaException:
    # halmos asks for a model too, and there is none after "unsat".
    pass
