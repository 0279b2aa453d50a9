/** The system prompt that the specification recommends, verbatim. */
export const PROTOCOL_INSTRUCTIONS: string = [
  'You are connected to a Skills Runtime using the Skills Protocol.',
  '',
  'If you have not yet read the Skills Protocol Guide,',
  'you MUST call the `load_skills_protocol_guide` tool before using',
  'any other Skills Protocol tools.',
  '',
  'After reading the guide, follow its workflow:',
  'discover → inspect → run or write code → use blobs for large data.',
].join('\n')
