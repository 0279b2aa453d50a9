/** A body (null) or a document, under the heading by which a model knows it. */
export function renderLoadedText(
  skill: string,
  { doc, text }: { doc: string | null; text: string },
): string {
  return doc === null ? `[Loaded] ${skill}\n${text}` : `[Doc] ${doc}\n${text}`
}
