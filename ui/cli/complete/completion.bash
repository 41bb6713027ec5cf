
# Where the package bash-completion is not there: bash splits words at "=" and ":", forage does not. What stands
# without a blank between belongs together.
__forage_init_completion()
{
    local rest=${COMP_LINE:0:COMP_POINT} word i n=-1
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $n -lt 0 || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            words[++n]=
        fi
        ((i == COMP_CWORD)) && word=$rest
        words[n]+=$word
        rest=${rest#"$word"}
    done
    cword=$n cur=${words[n]} prev=${words[n > 0 ? n - 1 : 0]}
}

declare -F _filedir >/dev/null || _filedir()
{
    local line
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen "${1:--f}" -- "$cur")
}
