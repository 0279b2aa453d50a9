import { printable } from '../../util/printable.ts'
import type { CommandDefinition } from '../command.ts'
import { openAccess } from '../access/open-access.ts'

export const command: CommandDefinition = {
  summary: 'Print the names of all skills, one a line',
  async run(context, call) {
    const { skills } = await (await openAccess(context, call)).list()
    const names = [...new Set(skills.map((skill) => skill.name))]
    if (context.global.json) context.document('skills.names/v1', { names })
    else if (names.length > 0) context.print(names.map(printable).join('\n'))
    return 0
  },
}
