import type { Difference } from '../expectations/expectation.ts'

/** A reason for which the network of a case makes it fail. */
export interface NetworkFailure {
  message: string
  difference?: Difference | undefined
}
