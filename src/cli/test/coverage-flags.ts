import type { OptionDefinition } from '../command.ts'

/** Options of `skills test` for coverage. Each of them turns it on. */
export const COVERAGE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--coverage', description: 'Report lines and parts of the interface that no case uses' },
  {
    flags: '--coverage-report <name=file>',
    description: 'Write the coverage as text, lcov, cobertura or html to a file (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--threshold <percent>',
    description: 'Exit with 1 below this coverage: 80, lines=80 or interface=100 (repeatable)',
    isRepeatable: true,
  },
]
