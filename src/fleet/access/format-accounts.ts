import { listPermissions, type KeyPermissions, type NodeKey } from './role-permissions.ts'

/** Formats the entry of a key in the list of users of nats-server. */
export function formatUser(tenant: string, key: NodeKey): string {
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
