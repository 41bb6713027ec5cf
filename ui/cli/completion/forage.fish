# Completion of forage for fish. To have it in every shell:
#   forage completion fish > ~/.config/fish/completions/forage.fish

function __forage_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $tokens[1])
    set -e tokens[1]
    set -l out ($program __complete $tokens "$current" 2>/dev/null)
    set -l kind $out[1]
    set -e out[1]
    set -l before (string match -r '^--[^=]*=' -- "$current")
    set -l path (string replace -r '^--[^=]*=' '' -- "$current")
    switch "$kind"
        case files
            printf "$before%s\n" (__fish_complete_path "$path")
        case dirs
            printf "$before%s\n" (__fish_complete_directories "$path")
        case '*'
            test (count $out) -gt 0; and printf '%s\n' $out
    end
end

complete -c forage -f -a '(__forage_complete)'
