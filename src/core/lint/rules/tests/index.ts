import type { Rule } from '../../rule.ts'
import { INVALID_CASSETTE } from './invalid-cassette.ts'
import { INVALID_SUITE } from './invalid-suite.ts'
import { MISNAMED_SUITE } from './misnamed-suite.ts'
import { MISSING_TESTS } from './missing-tests.ts'
import { UNDECLARED_TEST_SECRET } from './undeclared-test-secret.ts'

export const TESTS_RULES: readonly Rule[] = [
  INVALID_SUITE,
  INVALID_CASSETTE,
  MISNAMED_SUITE,
  MISSING_TESTS,
  UNDECLARED_TEST_SECRET,
]
