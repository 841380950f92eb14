// The search: pages that contain every word of the query, first those with them in their titles.

const resultsMax = 12;

function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return [];
    const found = [];
    for (const page of searchIndex) {
        const title = page.title.toLowerCase();
        const text = page.text.toLowerCase();
        let score = 0;
        for (const word of words) {
            const times = text.split(word).length - 1;
            if (times === 0 && !title.includes(word)) {
                score = 0;
                break;
            }
            score += Math.min(times, 10) + (title.includes(word) ? 50 : 0) + (title.split("(")[0] === word ? 50 : 0);
        }
        if (score > 0) found.push({ page, score, at: Math.max(text.indexOf(words[0]), 0) });
    }
    return found.sort((one, other) => other.score - one.score).slice(0, resultsMax);
}

function show(query, input, list) {
    const results = search(query);
    list.replaceChildren(...results.map(({ page, at }) => {
        const link = document.createElement("a");
        link.href = input.dataset.up + page.path;
        link.textContent = page.title;
        const excerpt = document.createElement("small");
        excerpt.textContent = page.text.slice(Math.max(at - 40, 0), at + 100);
        const item = document.createElement("li");
        item.append(link, excerpt);
        return item;
    }));
    if (results.length === 0 && query.trim() !== "") {
        const none = document.createElement("li");
        none.textContent = "No page has these words.";
        list.append(none);
    }
    list.hidden = query.trim() === "";
}

const input = document.getElementById("query");
const list = document.getElementById("found");
input.addEventListener("input", () => show(input.value, input, list));
input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        input.value = "";
        show("", input, list);
    }
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) first.click();
});
