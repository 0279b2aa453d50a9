import { escapeXml } from '../xml.ts'

/** Undefined ones are left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>

export interface JunitSuite {
  attributes: Attributes
  cases: readonly JunitCase[]
}

export interface JunitCase {
  attributes: Attributes
  /** Such as `failure`, `skipped` or `system-out`. */
  elements?: readonly { name: string; attributes?: Attributes; text?: string }[]
}

/** A JUnit XML document, without a line feed at its end. */
export function renderJunit(attributes: Attributes, suites: readonly JunitSuite[]): string {
  const body = suites.flatMap((suite) => [
    `  <testsuite${renderAttributes(suite.attributes)}>`,
    ...suite.cases.flatMap(renderCase),
    '  </testsuite>',
  ])
  const head = `<testsuites${renderAttributes(attributes)}>`
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...body, '</testsuites>'].join('\n')
}

function renderCase({ attributes, elements = [] }: JunitCase): string[] {
  const head = `    <testcase${renderAttributes(attributes)}`
  if (elements.length === 0) return [`${head}/>`]
  const inner = elements.map(({ name, attributes: own = {}, text }) => {
    const start = `      <${name}${renderAttributes(own)}`
    return text === undefined ? `${start}/>` : `${start}>${escapeXml(text)}</${name}>`
  })
  return [`${head}>`, ...inner, '    </testcase>']
}

function renderAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [` ${name}="${escapeXml(String(value))}"`],
    )
    .join('')
}
