import { describe, expect, it } from 'vitest'
import { extendExampleBody } from '../../../src/core/lint/example-skill.ts'
import { lintFindings, lintFixedFile } from '../../helpers/rule-cases.ts'

const lintBody = async (body: string, rule: string) =>
  (await lintFindings({ 'SKILL.md': extendExampleBody(body) }, [rule])).map(({ at }) => at)

describe('links that refer to no file of the skill', () => {
  it.each([
    ['a variable', 'See [it]({baseDir}/references/a.md) and [b]($HOME/a.md).'],
    ['a placeholder', 'Write `[text](url)` as [text](url), [x](<path>) or [y](path/to/file.md).'],
    ['an ellipsis', 'See [it](.../a.md).'],
    ['a footnote', 'Text.[^1]\n\n[^1]: GitHub Blog. (2022). "Diagrams." https://example.com/\n'],
    [
      'brackets in prose',
      '*[Skills](Agent Skills (credit: a team))* and [INFO]: text follows here',
    ],
    ['a file to write', 'Save the summary to [summary.md](summary.md).'],
    ['a template', '````markdown\n```sh\nls\n```\n- [a](./a.md)\n````\n'],
    ['an inner fence', '```markdown\n# T\n```sh\nls\n```\n- [a](./a.md)\n```\n'],
    ['a comment', '<!-- See [it](old.md). -->'],
    ['a fence in a list', '- Step\n\n    ```md\n    [a](./a.md)\n    ```\n'],
    ['double backticks', 'Write ``[a](`b`.md)`` here.'],
  ])('are not reported for %s', async (_, body) => {
    expect(await lintBody(body, 'docs/broken-link')).toEqual([])
  })

  it.each([
    ['a label with a title', 'See [x](docs/no.md "Title").', 'docs/no.md'],
    ['an angle bracket', 'See [x](<references/no space.md>).', 'references/no space.md'],
    ['parentheses', 'See [x](references/no(1).md).', 'references/no(1).md'],
    ['a definition', 'See [x].\n\n[x]: references/no.md\n', 'references/no.md'],
    ['a verb of another sentence', 'Create a report. See [x](no.md).', 'no.md'],
    ['reading before writing', 'To create one, read [x](references/no.md).', 'references/no.md'],
    ['text after a closed fence', '```markdown\n# T\n```\n\nSee [a](./no.md).\n', './no.md'],
  ])('are reported for %s', async (_, body, target) => {
    expect(await lintBody(body, 'docs/broken-link')).toEqual([target])
  })

  it('are not reported for paths of examples and files to write, but for others', async () => {
    const body =
      '- **Example**: `scripts/rotate.py`\n- Save it as `assets/out.json`.\n- Run `scripts/no.py`.\n'
    expect(await lintBody(body, 'docs/missing-reference')).toEqual(['scripts/no.py'])
  })
})

describe('docs/unclosed-fence', () => {
  it('points at the block that a later fence should have found closed', async () => {
    const body = '```sh\nls\n\nText.\n\n```json\n{}\n```\n\n```\nmore\n'
    expect(await lintBody(body, 'docs/unclosed-fence')).toEqual(['```sh'])
  })
})

describe('fixes of Markdown', () => {
  const nested = '````\n```\n\u200B```sh\nls\n\u200B```\n```\n````\n'

  it('keep a zero-width space on which the end of a code block depends', async () => {
    const text = extendExampleBody(`\`\`\`\n \u200B\`\`\`\nls\n\`\`\`\n\n${nested}`)
    expect(await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })).toBe(text)
  })

  it('refuse an edit that changes blocks and keep the others', async () => {
    const text = extendExampleBody('One.\n\n\u2060#\u200B Not a heading\n\nGre\u200Bets.   \n')
    const fixed = await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })
    expect(fixed).toContain('\u2060#')
  })

  it('remove marks that change no block', async () => {
    const text = extendExampleBody('Gre\u200Bets.\n')
    expect(await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })).toBe(
      text.replace('\u200B', ''),
    )
  })
})
