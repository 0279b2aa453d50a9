import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import type { Tree } from '../../helpers/skills.ts'

/** Skills of several kinds that MCP offers; the first one has a subfolder. */
export function carried(): Tree {
  return {
    ...prefixPaths('skills/invoices', createActionSkill('acme.invoices.sum')),
    ...prefixPaths('skills/plain', {
      'SKILL.md':
        '---\nname: plain\ndescription: "Says: how it is done."\nlicense: MIT\nmetadata:\n  author: Ada\n---\n\n# Plain\n',
      'references/deep/details.md': '# Details\n',
      'assets/pixel.png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    }),
    ...prefixPaths('skills/other', {
      ...createActionSkill('demo.other_name'),
      'SKILL.md':
        '---\nname: another\ndescription: >-\n  Has a name of\n  its own.\n---\n\n# Other\n',
      'resources/ä ö&.txt': 'odd name\n',
    }),
  }
}
