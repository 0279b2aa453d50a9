import type { OptionDefinition } from '../command.ts'

/** Options of `skills test --evals`. */
export const EVAL_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--evals', description: 'Run the evals of evals/ with a model instead of the tests' },
  {
    flags: '--model <name>',
    description: 'Evals: use this model: <provider>/<model> of the AI SDK, or script:<file>',
  },
  { flags: '--judge-model <name>', description: 'Evals: judge statements with this model' },
  {
    flags: '--prices <input/output>',
    description: 'Evals: dollars per million tokens, such as 3/15',
  },
  { flags: '--max-cost-usd <amount>', description: 'Evals: never spend more than this' },
  { flags: '--max-tokens <count>', description: 'Evals: never use more tokens than this' },
  {
    flags: '--runs <count>',
    description: 'Evals: run each case so often (default: 3, at least 3)',
  },
  {
    flags: '--arm <name>',
    description: 'Evals: run only with the skill, or only without it',
    choices: ['with', 'without', 'both'],
  },
  { flags: '--case <glob>', description: 'Evals: run the cases whose ids match' },
  { flags: '--min-score <share>', description: 'Evals: pass from this score (default: 1)' },
  {
    flags: '--output <folder>',
    description: 'Evals: save the runs below this folder (default: skills-evals)',
  },
  {
    flags: '--continue <folder>',
    description: 'Evals: run what an interrupted iteration lacks, and save it there',
  },
  {
    flags: '--regrade <folder>',
    description: 'Evals: grade the saved runs of an iteration again, without a model',
  },
  { flags: '--judge', description: 'Evals: with --regrade, ask the model for missing votes' },
]
