import {
  AUDIT_LEVELS,
  isAtLevel,
  type Advisory,
  type AuditLevel,
} from '../../core/skills/dependencies/audit/advisory.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandDefinition } from '../command.ts'
import { openDependentSkill } from './open-skill.ts'

export const auditCommand: CommandDefinition = {
  summary: 'Ask the registries for known vulnerabilities of locked packages',
  details: [
    'Ask the registries for known vulnerabilities of locked packages.',
    '',
    '- Names and versions are sent: those of Node to the registry of each',
    '  package, those of Python to the index in PIP_INDEX_URL.',
    '- Exit status 1: there are advisories at the level or above, or a package',
    '  about which there is no answer.',
    '- The index of Python states no severity: its advisories count at every',
    '  level.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }],
  options: [
    {
      flags: '--level <level>',
      description: 'Lowest severity that counts',
      choices: AUDIT_LEVELS,
      default: 'low',
    },
  ],
  examples: [
    {
      command: 'skills deps audit demo.table --level high',
      explains: 'Fail only for high and critical advisories',
      notRun: 'it needs a registry',
    },
  ],
  async run(context, call) {
    const { skill } = await openDependentSkill(context, call.args[0] ?? '')
    const level = (getTextOption(call, 'level') ?? 'low') as AuditLevel
    const { auditDependencies } =
      await import('../../core/skills/dependencies/audit/audit-dependencies.ts')
    const { env, signal } = context
    const { asked, advisories, unasked } = await auditDependencies(skill, { env, signal })
    const counted = advisories.filter((each) => isAtLevel(each, level))
    if (context.global.json) {
      context.document('skills.dependency-audit/v1', {
        skill: skill.manifest.name,
        level,
        asked,
        counted: counted.length,
        advisories,
        unasked,
      })
    } else {
      for (const each of advisories) context.print(describeAdvisory(each))
      context.print(`${asked} asked, ${counted.length} at level ${level} or above`)
    }
    for (const each of unasked) {
      context.note(toPrintable(`Not asked: ${each.package} ${each.version}: ${each.reason}`))
    }
    return counted.length > 0 || unasked.length > 0 ? 1 : 0
  },
}

function describeAdvisory({ severity, id, title, fixed, url, ...at }: Advisory): string {
  const first = `${at.package} ${at.version}: ${severity ?? 'severity unknown'}, ${title} (${id})`
  const lines = [
    first,
    ...(fixed === null ? [] : [`fixed in ${fixed}`]),
    ...(url === null ? [] : [url]),
  ]
  return lines.map((line, index) => (index === 0 ? '' : '  ') + toPrintable(line)).join('\n')
}
