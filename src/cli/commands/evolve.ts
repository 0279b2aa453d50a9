import type { CommandDefinition } from '../command.ts'
import { resolveSkillNames } from '../skill-targets.ts'
import { EVAL_OPTIONS } from '../test/eval-option-list.ts'

const SHARED = new Set(['--model', '--prices', '--max-cost-usd', '--max-tokens', '--runs'])

/** Options of evals that select a model and its ceiling. */
const MODEL_OPTIONS = EVAL_OPTIONS.filter(({ flags }) => SHARED.has(flags.split(' ')[0] ?? '')).map(
  (each) => ({
    ...each,
    description: each.description.replace(/^Evals: (.)/, (_, letter: string) =>
      letter.toUpperCase(),
    ),
  }),
)

export const command: CommandDefinition = {
  summary: 'Propose a change of a skill from its failures, and apply it',
  startsRuns: true,
  details: [
    'Propose a change of a skill from its failures.',
    '',
    '- A model reads the skill, its failed runs, and saved sessions of evals.',
    '- The change is tried in a copy: lint and tests run before and after.',
    '- The proposal is saved. Only "skills evolve apply" changes the skill.',
    '- Tests and evals are read-only for a proposal.',
    '- Exits with 1 if the proposal is worse, and 3 if no failure is recorded.',
  ].join('\n'),
  arguments: [{ syntax: '[skill]', description: 'Name or folder of the skill' }],
  options: [
    ...MODEL_OPTIONS,
    {
      flags: '--sessions <folder>',
      description: 'Read failed sessions of this iteration of evals, besides failed runs',
    },
    { flags: '--evals', description: 'Run the evals before and after, too' },
  ],
  subcommands: {
    apply: {
      summary: 'Apply a saved proposal',
      details: [
        'Apply a saved proposal.',
        '',
        '- Refused if the skill has changed, or if tests or lint got worse.',
        '- Changes of permissions are shown separately and need their own consent.',
      ].join('\n'),
      arguments: [{ syntax: '<proposal>', description: 'Id of the proposal' }],
      options: [
        { flags: '--yes', description: 'Apply the changes without a question' },
        {
          flags: '--allow-permissions',
          description: 'Accept changes of what runs of the skill may do',
        },
      ],
      examples: [
        {
          command: 'skills evolve apply 0f3a91c2d4e5',
          explains: 'Show a proposal, ask, and apply it',
          notRun: 'it needs a saved proposal',
        },
      ],
      run: async (context, call) =>
        await (await import('../evolve/apply.ts')).applyProposal(context, call),
    },
  },
  examples: [
    {
      command: 'skills evolve ./skills/greet --model script:answers.yaml',
      explains: 'Propose a change with a scripted model',
      notRun: 'it needs recorded failures',
    },
  ],
  async run(context, call) {
    const { proposeChange } = await import('../evolve/propose.ts')
    return await proposeChange(context, await resolveSkillNames(context, call))
  },
}
