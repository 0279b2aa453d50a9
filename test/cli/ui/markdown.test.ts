import { describe, expect, it } from 'vitest'
import { Chalk } from 'chalk'
import { renderMarkdown } from '../../../src/cli/ui/markdown.ts'
import { measureWidth } from '../../../src/cli/ui/text.ts'

const WIDTHS = [20, 40, 60, 80, 200]

function render(text: string, columns: number, wrapsCode = true): Promise<string> {
  return renderMarkdown(text, { columns, wrapsCode, style: new Chalk({ level: 0 }) })
}

/** Lines that are too wide although they have a blank to break at. */
function tooWide(text: string, columns: number): string[] {
  return text
    .split('\n')
    .filter(
      (line) =>
        measureWidth(line) > columns && /\S\s+\S/.test(line.replace(/^\s*(?:│|•|\d+\.)?\s*/, '')),
    )
}

const TABLE = `
| Input | Type | What it is and why it matters |
|---|:-:|---|
| \`name\` | string | Name of the person to greet, in the **language** of the caller \\| or another |
| salutation_of_the_person | string, optional | The salutation |
`
const COMMAND = `skills exec demo.greet --arg name="Ada Lovelace of London" --arg salutation=Countess --json`

describe('a table in documentation', () => {
  it('is aligned if it fits', async () => {
    expect((await render(TABLE, 100)).split('\n')).toEqual([
      'Input                     Type              What it is and why it matters',
      'name                      string            Name of the person to greet, in the language of the',
      '                                            caller | or another',
      'salutation_of_the_person  string, optional  The salutation',
    ])
  })

  it('becomes a list if it does not fit', async () => {
    const text = await render(TABLE, 40)
    expect(text).toContain('Input: name\nType: string\n')
    expect(text).toContain('\n\nInput: salutation_of_the_person\nType: string, optional\n')
  })

  it.each(WIDTHS)('keeps all content and cuts no word at %i columns', async (columns) => {
    const text = await render(TABLE, columns)
    for (const word of [
      'Name of the person to greet',
      'salutation_of_the_person',
      'caller | or',
      'optional',
    ]) {
      for (const part of word.split(' ')) expect(text).toContain(part)
    }
    expect(tooWide(text, columns)).toEqual([])
  })
})

describe('code in documentation', () => {
  it.each(WIDTHS)('of a shell can be pasted as displayed at %i columns', async (columns) => {
    const text = await render(`\`\`\`sh\n${COMMAND}\n\`\`\``, columns)
    expect(text.replace(/ \\\n\s+/g, ' ').trim()).toBe(COMMAND)
    expect(text).toContain('name="Ada Lovelace of London"')
  })

  it('of a shell keeps wrapped comments as comments', async () => {
    const text = await render('```bash\n# words that are a comment of some length\n```', 30)
    expect(text.split('\n').every((line) => line.startsWith('    # '))).toBe(true)
  })

  it.each(['python', '', 'json'])('in %j breaks at blanks only', async (language) => {
    const line = `  call(first_argument_of_all, "a text with blanks", don_t_cut_me_${'x'.repeat(40)})`
    const text = await render(`\`\`\`${language}\n${line}\n\`\`\``, 40)
    expect(text.replace(/\s+/g, ' ').trim()).toBe(line.trim())
    expect(text).toContain(`don_t_cut_me_${'x'.repeat(40)}`)
  })

  it('is unchanged outside a terminal', async () => {
    expect(await render(`\`\`\`sh\n${COMMAND}\n\`\`\``, 40, false)).toBe(`    ${COMMAND}`)
  })
})

describe('text in documentation', () => {
  it('keeps long words in one piece', async () => {
    const url = `https://example.com/${'path/'.repeat(20)}`
    expect(await render(`See <${url}> and \`${'x'.repeat(50)}\`.`, 40)).toContain(url)
  })

  it('breaks scripts without blanks', async () => {
    const text = await render('这是一个没有空格的很长的句子'.repeat(5), 40)
    expect(text.split('\n').every((line) => measureWidth(line) <= 40)).toBe(true)
    expect(text.replaceAll('\n', '')).toBe('这是一个没有空格的很长的句子'.repeat(5))
  })

  it('keeps links, images and their targets', async () => {
    const text = await render(
      'A [link][l], ![logo](l.png) and ![x][l].\n\n[l]: https://l.example',
      80,
    )
    expect(text).toBe('A link [l], [logo] (l.png) and [x] (l).\n\n[l]: https://l.example')
  })
})
