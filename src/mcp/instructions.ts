import type { Method } from '../core/methods/method.ts'

const GUIDE_TOOL = 'load_skills_protocol_guide'

/** The specification's recommended system prompt, word for word. */
export const PROTOCOL_INSTRUCTIONS: string = [
  'You are connected to a Skills Runtime using the Skills Protocol.',
  '',
  'If you have not yet read the Skills Protocol Guide,',
  `you MUST call the \`${GUIDE_TOOL}\` tool before using`,
  'any other Skills Protocol tools.',
  '',
  'After reading the guide, follow its workflow:',
  'discover → inspect → run or write code → use blobs for large data.',
].join('\n')

/** For tools among which the guide is not. */
const WITHOUT_GUIDE = [
  'You are connected to a Skills Runtime.',
  '',
  'Before you do a task by yourself, see whether a skill fits it. Load a skill and read what it says',
  'before you run anything of it, and load only the documents that the task needs.',
].join('\n')

/** What a client puts into the system prompt of its model. */
export function instructionsFor(methods: readonly Pick<Method, 'name'>[]): string {
  return methods.some(({ name }) => name === GUIDE_TOOL) ? PROTOCOL_INSTRUCTIONS : WITHOUT_GUIDE
}
