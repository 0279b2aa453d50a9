import { quoteValue } from '../skill-facts.ts'
import type { HostDescription, ValueCheck } from './host.ts'
import { checkPlainName, createPlainTextCheck } from './value-checks.ts'

/** Words that a name must not contain. */
const RESERVED_WORDS = ['anthropic', 'claude']

const checkReservedName: ValueCheck = (value, skill) => {
  const word = RESERVED_WORDS.find((each) => typeof value === 'string' && value.includes(each))
  if (word === undefined) return checkPlainName(value, skill)
  const message = `${quoteValue(value)} contains the reserved word "${word}", expected another name`
  return { message, help: `Remove "${word}" from the name` }
}

/** Source: "Agent Skills", structure of a skill; "Using Agent Skills with the API", requirements. */
export const CLAUDE_API: HostDescription = {
  profile: 'claude-api',
  title: 'The Claude API',
  required: ['name', 'description'],
  keys: {
    name: checkReservedName,
    description: createPlainTextCheck(1024),
    license: undefined,
    compatibility: undefined,
    metadata: undefined,
    'allowed-tools': undefined,
  },
}
