import { dirname } from 'node:path'
import { type ConfigRequest, loadConfig, type LoadedConfig } from '../core/config/load-config.ts'
import { listSettingProblems } from '../core/runs/checks/check-settings.ts'
import { createRuntime, type Runtime } from '../core/runtime.ts'
import type { SkillsError } from '../errors.ts'
import { allowsFastPaths } from '../core/config/fast-paths.ts'
import { toPrintable } from '../util/printable.ts'
import { quoteShellWord } from '../util/shell-word.ts'
import type { Context } from './context.ts'

/** Loads the configuration of a command line; `flags` are settings by key. */
export async function openConfig(
  context: Context,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<LoadedConfig> {
  await warnMisspeltVariables(context)
  const loaded = await loadConfig(buildConfigRequest(context, flags))
  noteIgnoredSettings(context, loaded)
  const [problem] = await listSettingProblems(loaded)
  if (problem) throw problem
  return loaded
}

/** The same, but collects problems instead of throwing. */
export async function openConfigWithProblems(
  context: Context,
): Promise<LoadedConfig & { problems: readonly SkillsError[] }> {
  await warnMisspeltVariables(context)
  const problems: SkillsError[] = []
  const onProblem = (problem: SkillsError) => void problems.push(problem)
  const loaded = await loadConfig({ ...buildConfigRequest(context, {}), onProblem })
  noteIgnoredSettings(context, loaded)
  problems.push(...(await listSettingProblems(loaded)))
  return { ...loaded, problems }
}

/** Request for the configuration of a command line. */
export function buildConfigRequest(
  context: Context,
  flags: Readonly<Record<string, unknown>> = {},
): ConfigRequest {
  const { root, config, noConfig } = context.global
  return {
    cwd: context.cwd,
    env: context.env,
    file: config,
    noFiles: noConfig,
    flags: { ...(root.length > 0 ? { roots: [...root] } : {}), ...flags },
  }
}

/** An unknown variable may belong to another program, so it is only a warning. */
async function warnMisspeltVariables(context: Context): Promise<void> {
  if (!Object.keys(context.env).some((name) => name.startsWith('SKILLS_'))) return
  const { findMisspeltVariables } = await import('../core/config/suggest-setting.ts')
  for (const { name, meant } of findMisspeltVariables(context.env)) {
    context.noteOnce(`No setting is named ${name}; did you mean ${meant}?`)
  }
}

/** Names the settings of a project's file that its user does not trust, and the command for them. */
function noteIgnoredSettings(context: Context, { projectSettings }: LoadedConfig): void {
  if (!projectSettings || projectSettings.trust === 'trusted') return
  const { file, settings, trust } = projectSettings
  const names = settings.map(({ key }) => key).join(', ')
  const why = trust === 'changed' ? 'changed after you trusted it' : 'is not trusted'
  const folder = dirname(file)
  const command = `skills trust project${folder === context.cwd ? '' : ` ${quoteShellWord(folder)}`}`
  context.noteOnce(
    toPrintable(`Ignored ${names}, since ${file} ${why}; to see and trust it, type: ${command}`),
  )
}

/** Opens the runtime of a command. */
export async function openRuntime(
  context: Context,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<Runtime> {
  const origins = await openConfig(context, flags)
  // A command reads the skills once.
  const { sandboxes } = context
  const { config } = origins
  const fastPaths = allowsFastPaths(context.env)
  return createRuntime({ config, origins, noticesEdits: false, sandboxes, fastPaths })
}
