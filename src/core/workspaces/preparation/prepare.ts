import type { PreparationContext } from './prepare-workspace.ts'

/** Puts the operator's files into a workspace, where there are any; answers with warnings. */
export async function prepareFiles(context: PreparationContext): Promise<string[]> {
  if (context.services.config.workspace.files.length === 0) return []
  return await (await import('./prepare-workspace.ts')).writePreparedFiles(context)
}

/** Runs the operator's commands in a workspace, where there are any; answers with warnings. */
export async function prepareCommands(context: PreparationContext): Promise<string[]> {
  if (context.services.config.workspace.commands.length === 0) return []
  return await (await import('./prepare-workspace.ts')).runPreparedCommands(context)
}
