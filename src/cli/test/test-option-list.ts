import type { OptionDefinition } from '../command.ts'

/** Options of `skills test` and of its reports. */
export const REPORTER_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--reporter <name[=file]>',
    description:
      'Report as pretty, concise, json, jsonl, junit, tap, github, markdown or html, into a file if one is given (repeatable)',
    isRepeatable: true,
  },
]

export const FLAKY_OPTION: OptionDefinition = {
  flags: '--fail-on-flaky',
  description: 'Exit with 1 if a case passed only when tried again',
}

/** Options of `skills test` that select cases and decide how they run. */
export const TEST_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '-k, --filter <text>',
    description: 'Run only cases whose skill, suite or name contains this text (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--tag <word>',
    description: 'Run only cases with this tag, or without it if it begins with ! (repeatable)',
    isRepeatable: true,
  },
  { flags: '--shard <index/count>', description: 'Run only this part of the cases' },
  { flags: '--repeat <number>', description: 'Run each case this many times' },
  { flags: '--retry <number>', description: 'Try a failed case again up to this many times' },
  {
    flags: '--shuffle [seed]',
    description: 'Run the cases in an order that the seed determines',
  },
  { flags: '--bail [number]', description: 'Stop after this many failed cases (default: 1)' },
  { flags: '--jobs <number>', description: 'Run this many cases at the same time' },
  {
    flags: '--record',
    description: 'Run the cases with a cassette on the declared hosts, and save the answers',
  },
  { flags: '--docs', description: 'Run the examples of SKILL.md as cases, too' },
  { flags: '--keep', description: 'Keep the workspaces of failed cases' },
  {
    flags: '-u, --update',
    description: 'Replace the texts of snapshots, and remove obsolete ones',
  },
  { flags: '--update-snapshots', description: 'The same as --update, as other tools call it' },
  { flags: '--watch', description: 'Run again after every change of the skills, until Ctrl-C' },
]
