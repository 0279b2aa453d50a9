import type { CommandDefinition } from '../command.ts'
import { EXPORT_LOCK, IMPORT_LOCK, MERGE_LOCK } from '../lock/lock-commands.ts'

export const command: CommandDefinition = {
  summary: 'Import, export and merge the lock of installed skills',
  details: [
    'Import, export and merge the lock of installed skills.',
    '',
    '"skills install" writes skills.lock, and installs what it has.',
  ].join('\n'),
  subcommands: { import: IMPORT_LOCK, export: EXPORT_LOCK, merge: MERGE_LOCK },
}
