/** Settings of evals: models and their prices; one row each, as in the table of all settings. */
export const EVAL_KEYS = [
  {
    key: 'evals.model',
    field: ['evals', 'model'],
    setBy: 'trusted project',
    type: 'text',
    description: 'Model of evals: <provider>/<model> of the AI SDK, or script:<file>',
    default: undefined,
  },
  {
    key: 'evals.judge_model',
    field: ['evals', 'judgeModel'],
    setBy: 'trusted project',
    type: 'text',
    description: 'Model that judges statements (default: evals.model)',
    default: undefined,
  },
  {
    key: 'evals.prices',
    field: ['evals', 'prices'],
    setBy: 'user',
    type: 'text',
    description: 'Dollars per million tokens of input and output, such as "3/15"',
    default: undefined,
  },
] as const
