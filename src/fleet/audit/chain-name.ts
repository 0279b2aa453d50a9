import { SkillsError } from '../../errors.ts'

/** Names a chain of audit records: one start of a node. */
export interface ChainName {
  node: string
  start: string
}

/** Subjects of all chains; that of the epochs matches too. */
export const CHAINS_PATTERN = 'au.*.*'

/** Takes the place of a node in the subject of the epochs. */
const EPOCHS_NODE = 'epochs'

/** Subject of the epochs, which are one chain of their own. */
export const EPOCHS_SUBJECT = `au.${EPOCHS_NODE}.all`

const NODE = /^[a-z0-9-]{1,32}$/
const START = /^[A-Za-z0-9_-]{1,64}$/

export function formatChainName({ node, start }: ChainName): string {
  return `${node}.${start}`
}

export function formatChainSubject(name: ChainName): string {
  return `au.${formatChainName(name)}`
}

/** Subjects of all chains of a node. */
export function formatNodePattern(node: string): string {
  return `au.${node}.*`
}

/** Returns the chain of a subject; undefined for the epochs. */
export function parseChainSubject(subject: string): ChainName | undefined {
  const [, node = '', start = ''] = subject.split('.')
  return node === EPOCHS_NODE ? undefined : { node, start }
}

/** Throws `config/invalid` if a name has other characters, or is the one of the epochs. */
export function checkChainName({ node, start }: ChainName): void {
  if (node === EPOCHS_NODE) {
    throw new SkillsError('config/invalid', `A node cannot have the name "${EPOCHS_NODE}"`, {
      hint: 'Set fleet.name to another name',
    })
  }
  if (NODE.test(node) && START.test(start)) return
  throw new SkillsError('config/invalid', `"${node}.${start}" is not a valid name of a chain`, {
    hint: 'Names of nodes have at most 32 lower-case letters, digits and hyphens',
  })
}
