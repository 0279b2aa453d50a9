/** Listing entry of the guide. */
export const GUIDE_PROMPT = {
  name: 'skills-protocol-guide',
  title: 'Skills Protocol Guide',
  description: 'How to find, read, run and combine skills with these tools',
} as const

/** Listing entry of the prompt that uses one skill. Its arguments are completed. */
export const USE_SKILL_PROMPT = {
  name: 'use-skill',
  title: 'Use a skill',
  description: 'Adds the instructions of a skill to the conversation',
  arguments: [
    { name: 'skill', description: 'Name of the skill, or name@version', required: true },
    { name: 'inputs', description: 'Inputs as name=value, separated by spaces', required: false },
    { name: 'document', description: 'Another document of the skill to add', required: false },
  ],
} as const
