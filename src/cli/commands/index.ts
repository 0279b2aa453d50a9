import type { CommandDefinition } from '../command.ts'

/** A command as the overview shows it; its own module is loaded only when it runs. */
export interface CommandEntry {
  name: string
  summary: string
  /** Not shown in help: called by scripts of ours. */
  hidden?: true
  load(): Promise<{ command: CommandDefinition }>
}

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'List the skills that are found here',
    load: () => import('./list.ts'),
  },
]
