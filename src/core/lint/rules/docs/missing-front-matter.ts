import type { Rule } from '../../rule.ts'

export const MISSING_FRONT_MATTER: Rule = {
  id: 'docs/missing-front-matter',
  severity: 'error',
  what: 'SKILL.md has no front matter',
  why: 'Listings read the name and the short description from the front matter.',
  example: {
    bad: {
      'SKILL.md':
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet\n```\n',
    },
    good: {},
  },
  fix: 'Start the file with a block between two lines "---". --fix adds one from skill.toml.',
  fixable: 'safe',
  check(skill, report) {
    const { markdown, manifest } = skill
    if (!markdown || markdown.frontMatter.present || markdown.text.includes('\0')) return
    const quoted = JSON.stringify(manifest.description)
    const at = markdown.text.startsWith('\uFEFF') ? 1 : 0
    const block = `---\nname: ${skill.folder}\ndescription: ${quoted}\n---\n\n`
    report({
      file: 'SKILL.md',
      span: { start: 0, end: 0 },
      message: 'SKILL.md has no front matter, expected a block between two lines "---"',
      help: 'Add name and description at the top of the file',
      edits:
        skill.toml && manifest.description
          ? [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text: block }]
          : [],
    })
  },
}
