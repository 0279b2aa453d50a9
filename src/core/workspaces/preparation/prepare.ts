import type { PreparationContext } from './prepare-workspace.ts'

/** Writes the configured files into a workspace, if any; returns warnings. */
export async function prepareFiles(context: PreparationContext): Promise<string[]> {
  if (context.services.config.workspace.files.length === 0) return []
  return await (await import('./prepare-workspace.ts')).writePreparedFiles(context)
}

/** Runs the configured commands in a workspace, if any; returns warnings. */
export async function prepareCommands(context: PreparationContext): Promise<string[]> {
  if (context.services.config.workspace.commands.length === 0) return []
  return await (await import('./prepare-workspace.ts')).runPreparedCommands(context)
}
