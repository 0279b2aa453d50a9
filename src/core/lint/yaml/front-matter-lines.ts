/** A line of front matter: `key: value`, `- value` or a part of a longer value. */
export interface YamlLine {
  line: string
  /** Offset of the line in the block. */
  offset: number
  indent: number
  key: string | undefined
  value: string
}

const YAML_LINE = /^([ \t]*)(?:- +)?(?:([\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t]+|$))?([^\n]*)$/

/** Yields lines as keys and values, without the text of block scalars (`|`, `>`). */
export function* readYamlLines(block: string): Generator<YamlLine> {
  let offset = 0
  let scalar = -1
  for (const line of block.split('\n')) {
    const [, blanks = '', key, value = ''] = YAML_LINE.exec(line.replace(/\r$/, '')) ?? []
    const indent = blanks.length
    if (scalar < 0 || (line.trim() !== '' && indent <= scalar)) {
      scalar = /^[|>]/.test(value) ? indent : -1
      yield { line, offset, indent, key, value }
    }
    offset += line.length + 1
  }
}
