import { relative } from 'node:path'
import type { SettingPath } from '../../core/config/edit/setting-path.ts'
import { listConfigSettings } from '../../core/config/list-settings.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'
import type { ChangeTarget } from './change-target.ts'
import { formatOrigin, formatSetting } from './settings.ts'

/** A change that was made, or that was not necessary. */
export interface ConfigChange {
  action: 'set' | 'unset'
  name: string
  setting: SettingPath
  target: ChangeTarget
  isChanged: boolean
}

/** Prints a change with the effective value, which another source may determine. */
export async function reportChange(context: Context, change: ConfigChange): Promise<void> {
  const { action, name, setting, target, isChanged } = change
  const loaded = await openConfigWithProblems(context)
  const settings = await listConfigSettings(loaded)
  const effective = settings.find((each) => each.key === setting.key.key)
  if (!effective) return
  const { file } = target
  if (context.global.json) {
    const shown = { action, key: name, file, changed: isChanged }
    context.document('skills.setting-change/v1', { ...shown, setting: effective })
    return
  }
  const below = relative(context.cwd, file)
  const place = toPrintable(below.startsWith('..') ? file : below)
  if (action === 'unset') {
    const done = isChanged ? 'is removed from' : 'is not in'
    context.print(`${toPrintable(name)} ${done} ${place}`)
  } else context.print(`${toPrintable(name)} is ${isChanged ? '' : 'already '}set in ${place}`)
  const isElsewhere = !effective.origin.place.startsWith(`${file}:`)
  // Roots and repositories of all sources add up.
  if (['paths', 'roots', 'repositories'].includes(setting.key.type)) return
  if (isElsewhere || (action === 'unset' && setting.entry === undefined)) {
    context.note(
      `${effective.key} is now ${formatSetting(effective)} (${formatOrigin(effective.origin)})`,
    )
  }
}
