/** Settings of evals; one row each, as in the table of all settings. */
export const EVAL_KEYS = [
  {
    key: 'evals.model',
    field: ['evals', 'model'],
    setBy: 'trusted project',
    type: 'text',
    description: 'Model of evals: <provider>/<model> of the AI SDK, or script:<file>',
    default: undefined,
  },
] as const
