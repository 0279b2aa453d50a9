import type { PreparationContext } from './prepare-workspace.ts'

/** Puts the operator's files into a workspace, where there are any; answers with warnings. */
export async function prepareFiles(preparing: PreparationContext): Promise<string[]> {
  if (preparing.services.config.workspace.files.length === 0) return []
  return await (await import('./prepare-workspace.ts')).writePreparedFiles(preparing)
}

/** Runs the operator's commands in a workspace, where there are any; answers with warnings. */
export async function prepareCommands(preparing: PreparationContext): Promise<string[]> {
  if (preparing.services.config.workspace.commands.length === 0) return []
  return await (await import('./prepare-workspace.ts')).runPreparedCommands(preparing)
}
