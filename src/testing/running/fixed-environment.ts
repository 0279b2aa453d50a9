import type { TestCase } from '../../core/testing/suites/suite.ts'

/** Variables of every case, so that results do not depend on the machine. */
const FIXED_ENVIRONMENT: Readonly<Record<string, string>> = {
  TZ: 'UTC',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  PYTHONHASHSEED: '0',
  NO_COLOR: '1',
  COLUMNS: '80',
}

/** The variables of a case: SOURCE_DATE_EPOCH is its time, in seconds. */
export function buildFixedEnvironment({ fixed }: Pick<TestCase, 'fixed'>): Record<string, string> {
  const { nowMs = Date.now() } = fixed
  return { ...FIXED_ENVIRONMENT, SOURCE_DATE_EPOCH: String(Math.floor(nowMs / 1000)) }
}
