import type { CommandDefinition } from '../command.ts'
import { ADD_TRUST } from '../signing/trust-add.ts'
import { LIST_TRUST, REMOVE_TRUST, REVOKE_TRUST, TRUST_RULE } from '../signing/trust-commands.ts'

export const command: CommandDefinition = {
  summary: 'Manage the keys that are trusted to sign skills',
  details: [
    'Manage the keys that are trusted to sign skills.',
    '',
    "The list is trust.json in the user's configuration folder. Nothing in a",
    'skill, an archive or a project can change it.',
  ].join('\n'),
  subcommands: {
    add: ADD_TRUST,
    list: LIST_TRUST,
    revoke: REVOKE_TRUST,
    remove: REMOVE_TRUST,
    rule: TRUST_RULE,
  },
}
