import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SettingPath } from '../../core/config/edit/setting-path.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { CommandDefinition } from '../command.ts'
import { checkTargetLayer, findChangeTarget, GLOBAL_OPTION } from './change-target.ts'
import { keepTrust } from './keep-trust.ts'
import { reportChange } from './report-change.ts'

export const SET_COMMAND: CommandDefinition = {
  summary: 'Set a value in a configuration file',
  details: [
    'Set a value in a configuration file.',
    '',
    'The file is skills.config.toml of the project, which is created if it is',
    "absent, the user's file with --global, or the file of --config. Comments",
    'and all other lines are unchanged.',
    '',
    '- Lists take several values, or one JSON list.',
    '- Tables take a JSON object. The entries of lint.rules and repositories',
    '  can be set one by one.',
    '- Paths are relative to the current folder.',
  ].join('\n'),
  arguments: [
    {
      syntax: '<setting>',
      description: 'Name of a setting, such as run.timeout',
      completes: 'settings',
    },
    {
      syntax: '<value...>',
      description: 'Its value, such as 2s, 64m, true or a path',
      completes: 'setting-values',
    },
  ],
  options: [GLOBAL_OPTION],
  examples: [
    { command: 'skills config set run.timeout 2m', explains: 'Set the time limit of runs' },
    {
      command: 'skills config set lint.profiles mcp openai',
      explains: 'Set a list',
    },
    {
      command: 'skills config set lint.rules.naming warning',
      explains: 'Set one entry of a table',
    },
    {
      command: 'skills config set --global run.limits.memory 1GiB',
      explains: "Set a limit in the user's file",
    },
  ],
  async run(context, call) {
    const [name = '', ...words] = call.args
    const { resolveSettingPath } = await import('../../core/config/edit/setting-path.ts')
    const setting = resolveSettingPath(name, 'skills config set')
    const target = await findChangeTarget(context, call)
    checkTargetLayer(context, setting, target)
    const { parseWords } = await import('../../core/config/edit/parse-words.ts')
    const parsed = parseWords(setting, words, { cwd: context.cwd, ...target })
    if ('expected' in parsed) {
      const given = words.map((word) => JSON.stringify(word)).join(' ')
      const message = `"${name}" is ${given}, expected ${parsed.expected}`
      throw new SkillsError('usage/invalid', message, {
        hint: 'Type "skills config set --help" for the notation of values',
      })
    }
    await checkNames(setting, parsed.raw, target.file)
    const { findValueProblem } = await import('../../core/runs/checks/check-settings.ts')
    const problem = await findValueProblem(setting.key.key, parsed.raw)
    if (problem) throw new SkillsError('usage/invalid', problem.message, { hint: problem.hint })
    const { setConfigValue } = await import('../../core/config/edit/edit-config.ts')
    const isChanged = await keepTrust(
      context,
      target,
      async () => await setConfigValue(target.file, setting.path, parsed.raw),
    )
    await reportChange(context, { action: 'set', name, setting, target, isChanged })
    return 0
  },
}

/** Refuses roots and rules that do not exist: later commands would refuse the file. */
async function checkNames(setting: SettingPath, raw: unknown, file: string): Promise<void> {
  const { key, entry } = setting
  if (key.key === 'roots') {
    for (const root of raw as readonly string[]) {
      const path = resolve(dirname(file), root)
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue
      throw new SkillsError('usage/invalid', `The root "${path}" is not a folder`, {
        hint: `Type "mkdir -p ${quoteShellWord(path)}", or use a folder that contains skills`,
      })
    }
  }
  if (key.type !== 'rules') return
  const { requireRule } = await import('../../core/lint/settings.ts')
  for (const rule of entry === undefined ? Object.keys(raw as object) : [entry]) requireRule(rule)
}
