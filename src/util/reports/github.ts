interface GithubAnnotation {
  level: 'error' | 'warning' | 'notice'
  properties: Readonly<Record<string, string | number>>
  text: string
}

/** A line that GitHub Actions shows at a place of a file. */
export function formatAnnotation({ level, properties, text }: GithubAnnotation): string {
  const facts = Object.entries(properties).map(
    ([name, value]) =>
      `${name}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  )
  return `::${level} ${facts.join(',')}::${escapeData(text)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
