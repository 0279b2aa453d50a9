import type { CommandDefinition } from '../command.ts'
import { FETCH_ROOTS, LIST_ROOTS, REMOVE_ROOT, UPDATE_ROOTS } from '../roots/roots-commands.ts'

export const command: CommandDefinition = {
  summary: 'Fetch and list the folders in which skills are found',
  subcommands: { list: LIST_ROOTS, fetch: FETCH_ROOTS, update: UPDATE_ROOTS, remove: REMOVE_ROOT },
}
