import { getFlagOption, type CommandDefinition } from '../command.ts'
import { resolveSkillNames } from '../skill-targets.ts'
import { COVERAGE_OPTIONS } from '../test/coverage-flags.ts'
import { EVAL_OPTIONS } from '../test/eval-option-list.ts'
import { FLAKY_OPTION, REPORTER_OPTIONS, TEST_OPTIONS } from '../test/test-option-list.ts'

const MERGE: CommandDefinition = {
  summary: 'Report on the results of several shards',
  details: 'Report on the results of several shards, as written by --reporter json=<file>.',
  arguments: [{ syntax: '<report...>', description: 'Files of --reporter json' }],
  options: [...REPORTER_OPTIONS, FLAKY_OPTION],
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

const REVIEW: CommandDefinition = {
  summary: 'Accept or reject changed snapshots',
  details: [
    'Accept or reject changed snapshots.',
    '',
    '- "skills test" writes a text that its snapshot does not fit to a file with the',
    '  extension .new beside it.',
    '- Accepting moves it to its place, rejecting removes it.',
    '- Snapshots that no case needs are obsolete: accepting removes them, rejecting',
    '  keeps them.',
    '- Without --accept and --reject each is shown and decided at the terminal.',
    '- Without a terminal they are listed: exits with 1 if there is one.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[path...]',
      description: 'Skills, folders of skills, or snapshots (default: this folder)',
    },
  ],
  options: [
    { flags: '--accept', description: 'Accept all of them' },
    { flags: '--reject', description: 'Reject all of them' },
  ],
  examples: [
    {
      command: 'skills test review ./skills/greet',
      explains: 'Decide about the snapshots of a skill',
    },
    { command: 'skills test review --accept ./skills/greet', explains: 'Accept all of them' },
  ],
  async run(context, call) {
    const { reviewSnapshots } = await import('../test/review-snapshots.ts')
    return await reviewSnapshots(context, await resolveSkillNames(context, call))
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
    ...TEST_OPTIONS,
    ...REPORTER_OPTIONS,
    FLAKY_OPTION,
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
  subcommands: { merge: MERGE, review: REVIEW },
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
