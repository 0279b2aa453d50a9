import { listConfigSettings } from '../../core/config/list-settings.ts'
import type { DescribeConfigurationResult } from '../../core/methods/describe-configuration/definition.ts'
import type { SkillsError } from '../../errors.ts'
import { openRemoteHandle } from '../access/open-remote-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'

export type ShownSetting = DescribeConfigurationResult['settings'][number]

/** Reads the settings of this machine, or those of the runtime of --url. */
export async function readSettings(
  context: Context,
  call: CommandLine,
): Promise<DescribeConfigurationResult & { problems: readonly SkillsError[] }> {
  const remote = await openRemoteHandle(context, call)
  if (remote) return { ...(await remote.call('describe_configuration', {})), problems: [] }
  const { files, problems, ...loaded } = await openConfigWithProblems(context)
  return { files, settings: await listConfigSettings(loaded), problems }
}
