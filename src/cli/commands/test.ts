import { getFlagOption, type CommandDefinition, type OptionDefinition } from '../command.ts'
import { resolveSkillNames } from '../skill-targets.ts'
import { COVERAGE_OPTIONS } from '../test/coverage-flags.ts'
import { EVAL_OPTIONS } from '../test/eval-option-list.ts'
import { reviewCommand } from '../test/review.ts'

const REPORTER_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--reporter <name[=file]>',
    description:
      'Report as pretty, concise, json, jsonl, junit, tap, github, markdown or html, into a file if one is given (repeatable)',
    isRepeatable: true,
  },
  { flags: '--fail-on-flaky', description: 'Exit with 1 if a case passed only when tried again' },
]

const MERGE: CommandDefinition = {
  summary: 'Report on the results of several shards',
  details: 'Report on the results of several shards, as written by --reporter json=<file>.',
  arguments: [{ syntax: '<report...>', description: 'Files of --reporter json' }],
  options: REPORTER_OPTIONS,
  examples: [
    {
      command: 'skills test merge shard-1.json shard-2.json --reporter junit=report.xml',
      explains: 'Write one JUnit report for two shards',
      notRun: 'it needs reports',
    },
  ],
  async run(context, call) {
    const { mergeTestReports } = await import('../test/merge-test-reports.ts')
    return await mergeTestReports(context, call)
  },
}

export const command: CommandDefinition = {
  summary: 'Run the tests of skills in sandboxes',
  startsRuns: true,
  details: [
    'Run the tests of skills in sandboxes.',
    '',
    '- A skill has its cases in tests/<topic>.test.toml or .test.yaml.',
    '- Each case runs as "skills exec" runs the skill, in a sandbox of its own:',
    '  without network, with fake secrets, and with a fixed environment.',
    '- Exits with 0 if all cases passed, 1 if one failed, 2 if a file of cases',
    '  is not valid, and 3 if nothing ran.',
    '- With --evals, a model gets the prompts of evals/ with and without the',
    '  skill. Its calls run in sandboxes, and the runs are saved and graded.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[path...]',
      description:
        'Skills by name or folder, folders of skills, or files of cases (default: this folder)',
    },
  ],
  options: [
    {
      flags: '--filter <text>',
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
      flags: '--update',
      description: 'Replace the texts of snapshots, and remove obsolete ones',
    },
    { flags: '--watch', description: 'Run again after every change of the skills, until Ctrl-C' },
    ...REPORTER_OPTIONS,
    ...COVERAGE_OPTIONS,
    ...EVAL_OPTIONS,
  ],
  examples: [
    { command: 'skills test ./skills/greet', explains: 'Run the tests of one skill' },
    {
      command: 'skills test ./skills/greet --filter english --reporter concise',
      explains: 'Run some cases, and print failures only',
    },
    {
      command: 'skills test ./skills/greet --reporter pretty --reporter junit=report.xml',
      explains: 'Write a report for CI as well',
    },
    {
      command: 'skills test --shard 1/2 --reporter json=shard-1.json',
      explains: 'Run half of the cases on this machine',
      notRun: 'it needs a project with tests',
    },
    {
      command: 'skills test --watch',
      explains: 'Run the tests again after every change',
      notRun: 'it runs until Ctrl-C',
    },
    {
      command:
        'skills test --evals --model anthropic/claude-sonnet-5-5 --prices 3/15 --max-cost-usd 2',
      explains: 'Run the evals with a model, for at most two dollars',
      notRun: 'it needs a key of the provider',
    },
  ],
  subcommands: { merge: MERGE, review: reviewCommand },
  async run(context, call) {
    const named = await resolveSkillNames(context, call)
    const { isEvalCommand } = await import('../test/eval-options.ts')
    if (isEvalCommand(named)) {
      const { runEvalsCommand } = await import('../test/run-evals-command.ts')
      return await runEvalsCommand(context, named)
    }
    if (getFlagOption(named, 'watch')) {
      const { watchTests } = await import('../test/watch-tests.ts')
      return await watchTests(context, named)
    }
    const { runTestCommand } = await import('../test/run-test-command.ts')
    return await runTestCommand(context, named)
  },
}
