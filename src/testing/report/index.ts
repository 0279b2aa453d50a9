import { conciseTestReporter } from './concise.ts'
import { githubTestReporter } from './github.ts'
import { htmlTestReporter } from './html.ts'
import { jsonLinesTestReporter, jsonTestReporter } from './json.ts'
import { junitTestReporter } from './junit.ts'
import { markdownTestReporter } from './markdown.ts'
import { prettyTestReporter } from './pretty.ts'
import { tapTestReporter } from './tap.ts'
import type { TestReporter } from './test-reporter.ts'

/** All output formats of `skills test`. */
export const TEST_REPORTERS: readonly TestReporter[] = [
  prettyTestReporter,
  conciseTestReporter,
  jsonTestReporter,
  jsonLinesTestReporter,
  junitTestReporter,
  tapTestReporter,
  githubTestReporter,
  markdownTestReporter,
  htmlTestReporter,
]
