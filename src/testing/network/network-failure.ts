import type { Difference } from '../../core/testing/expectations/expectation.ts'

/** A reason for which the network of a case makes it fail. */
export interface NetworkFailure {
  message: string
  difference?: Difference | undefined
}
