/**
 * The system prompt that Appendix A of the specification recommends, verbatim. Only for models that
 * have the tool `load_skills_protocol_guide`.
 */
export const PROTOCOL_PROMPT: string = [
  'You are connected to a Skills Runtime using the Skills Protocol.',
  '',
  'If you have not yet read the Skills Protocol Guide,',
  'you MUST call the `load_skills_protocol_guide` tool before using',
  'any other Skills Protocol tools.',
  '',
  'After reading the guide, follow its workflow:',
  'discover → inspect → run or write code → use blobs for large data.',
].join('\n')
