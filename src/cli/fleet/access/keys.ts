import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { createKey, parseKeys, parseRole } from '../../../fleet/access/node-keys.ts'
import { readTextUpTo } from '../../../util/bytes/read-up-to.ts'
import { getTextOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { openConfig } from '../../runtime.ts'
import {
  listPermissions,
  type KeyPermissions,
  type NodeKey,
} from '../../../fleet/access/role-permissions.ts'

const MAX_BYTES = 1024 ** 2

/** `skills fleet keys create`. */
export async function createFleetKey(context: Context, call: CommandLine): Promise<number> {
  const [role = '', name = ''] = call.args
  const { config } = await openConfig(context)
  const { key, seed } = await createKey(parseRole(role), name)
  const file = getTextOption(call, 'out') ?? `${role}-${name}.seed`
  writeSeed(context, file, seed)
  const lines = formatUser(config.fleet.tenant, key)
  if (context.global.json) {
    const { publicKey } = key
    context.document('skills.fleet-key/v1', { role, name, key: publicKey, seed_file: file, lines })
    return 0
  }
  context.print(`${role} ${name} ${key.publicKey}`)
  context.print(`\n${lines}`)
  context.note(`The seed is in "${file}": set fleet.seed to it on the node`)
  return 0
}

/** `skills fleet keys config`. */
export async function printAccounts(context: Context, call: CommandLine): Promise<number> {
  const [file = ''] = call.args
  const { config } = await openConfig(context)
  const accounts = formatAccounts(config.fleet.tenant, parseKeys(readKeys(context, file), file))
  if (context.global.json) context.document('skills.fleet-accounts/v1', { accounts })
  else context.print(accounts)
  return 0
}

function readKeys({ cwd }: Context, file: string): string {
  try {
    return readTextUpTo(resolve(cwd, file), MAX_BYTES)
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot read the keys in "${file}"`, {
      hint: 'Check its path and permissions',
      cause,
    })
  }
}

/** An earlier seed is not replaced: its node would lose its key. */
function writeSeed({ cwd }: Context, file: string, seed: string): void {
  try {
    writeFileSync(resolve(cwd, file), `${seed}\n`, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const message = exists ? `The file "${file}" exists already` : `Cannot write the seed "${file}"`
    throw new SkillsError('usage/invalid', message, {
      hint: 'Choose another file with --out',
      cause,
    })
  }
}

/** Formats the entry of a key in the list of users of nats-server. */
function formatUser(tenant: string, key: NodeKey): string {
  const { publish, subscribe } = listPermissions(tenant, key)
  return [
    `# ${key.role} ${key.name}`,
    '{',
    `  nkey: ${key.publicKey}`,
    '  permissions: {',
    ...formatList('publish', publish),
    ...formatList('subscribe', subscribe),
    '  }',
    '}',
  ].join('\n')
}

/** Formats the account of a tenant, with all of its keys, for the configuration of nats-server. */
export function formatAccounts(tenant: string, keys: readonly NodeKey[]): string {
  const users = keys.map((key) => indent(formatUser(tenant, key), '      '))
  const account = `SKILLS_${tenant}`
  return [
    'accounts {',
    `  "${account}" {`,
    '    jetstream: enabled',
    '    users: [',
    ...users,
    '    ]',
    '  }',
    '}',
  ].join('\n')
}

function formatList(name: keyof KeyPermissions, subjects: readonly string[]): string[] {
  return [`    ${name}: [`, ...subjects.map((each) => `      "${each}"`), '    ]']
}

function indent(text: string, by: string): string {
  return text.replaceAll(/^/gm, by)
}
