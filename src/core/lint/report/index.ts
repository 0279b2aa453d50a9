import { agentReporter } from './agent.ts'
import { conciseReporter } from './concise.ts'
import { githubReporter } from './github.ts'
import { jsonReporter } from './json.ts'
import { junitReporter } from './junit.ts'
import { prettyReporter } from './pretty.ts'
import type { Reporter } from './reporter.ts'
import { sarifReporter } from './sarif.ts'

/** All output formats of `skills lint`. */
export const REPORTERS: readonly Reporter[] = [
  prettyReporter,
  conciseReporter,
  jsonReporter,
  githubReporter,
  sarifReporter,
  junitReporter,
  agentReporter,
]
