import type { CommandDefinition } from '../command.ts'
import { EXPORT_KEY, LIST_KEYS, NEW_KEY, REMOVE_KEY } from '../signing/keys-commands.ts'

export const command: CommandDefinition = {
  summary: 'Create and list the keys that sign skills',
  subcommands: { new: NEW_KEY, list: LIST_KEYS, export: EXPORT_KEY, remove: REMOVE_KEY },
}
